/* The files of a folder, read by name one after the other, as jobs do that get their data that way.
 *
 * What is read are the regular files of the folder itself, in the order of their names' bytes;
 * folders in it, symbolic links (no file counts twice, and none lies elsewhere), pipes, sockets and
 * names that begin with '.' are left out, and counted. A
 * file that is not what it was when the folder was opened (another length, another time of change)
 * is an error. Messages name the file: "DIR/NAME: ...". */
#ifndef GB_KERNELS_FILES_H
#define GB_KERNELS_FILES_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"

#define GB_FILES_MOST UINT64_C(100000)        /* of a folder */
#define GB_FILE_LARGEST (UINT64_C(1) << 30)   /* bytes of one */
#define GB_FILES_IDENTITY (UINT64_C(1) << 52) /* identities are below */

typedef struct gb_file {
    char *name;
    uint64_t bytes;
    struct timespec changed; /* st_mtim */
} gb_file;

typedef struct gb_files {
    char *dir;
    int fd; /* of the folder; -1: not open */
    gb_file *items;
    size_t n, left_out;
    uint64_t bytes, largest; /* of all together, of the largest */
} gb_files;

/* Opens a folder and looks at its files. GB_IO where there is none, or it or a file
 * of it cannot be looked at; GB_INVALID: no files, all of them empty, too many or too large ones.
 * Close it also when this failed. */
gb_code gb_files_open(const char *dir, gb_files *out, gb_error *err);
void gb_files_close(gb_files *files);

/* Reads a file, from its opening to its closing, into `to`, which has room for its bytes. GB_IO;
 * GB_INVALID: it has changed. */
gb_code gb_files_read(const gb_files *files, size_t index, void *to, gb_error *err);

/* Fails with the name of a file before the message, and its code. */
gb_code gb_files_fail(const gb_files *files, size_t index, gb_code code, const char *message,
                      gb_error *err);

/* What tells the files from others: names, lengths and contents, as SHA-256 and as a number of 52
 * bits of it, never 0. Reads all of them; `look` (may be NULL) is handed the contents of each. */
typedef struct gb_files_identity {
    char sha256[65];
    uint64_t number;
} gb_files_identity;
typedef gb_code (*gb_files_look)(void *user, size_t index, const void *content, size_t n,
                                 gb_error *err);
gb_code gb_files_identify(const gb_files *files, gb_files_look look, void *user,
                          gb_files_identity *out, gb_error *err);

/* Lets the system forget the contents of the files, so that they are next read from where they are
 * stored (posix_fadvise, POSIX_FADV_DONTNEED), and makes sure of it (mincore). GB_UNAVAILABLE: they
 * stay in memory, as on a file system that lies there, or that cannot be seen. */
gb_code gb_files_forget(const gb_files *files, gb_error *err);

#endif
