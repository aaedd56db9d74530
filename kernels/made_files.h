/* A folder of files for one case, made in TMPDIR, else /var/tmp (which is on a disk where /tmp is
 * memory), else /tmp. Only its owner may enter it.
 *
 * It goes away with the case; and where this process is killed, a small shell that was started
 * beside it and outlives it removes it. Without a shell, or where that is killed too, the folder
 * stays: gpubench-files-XXXXXX. */
#ifndef GB_KERNELS_MADE_FILES_H
#define GB_KERNELS_MADE_FILES_H

#include <sys/types.h>

#include "kernels/files.h"

typedef struct gb_made_files {
    char *dir;
    int fd;        /* of the folder; -1: none */
    int hold;      /* its end tells the shell to remove what is left; -1: none */
    pid_t remover; /* 0: none */
} gb_made_files;

/* Makes the folder. GB_IO. Remove it also when this failed. */
gb_code gb_made_files_open(gb_made_files *out, gb_error *err);
/* Adds a file. GB_IO. */
gb_code gb_made_files_add(const gb_made_files *made, const char *name, const void *content,
                          size_t n, gb_error *err);
/* Removes all files and the folder; does nothing with a zeroed one. */
void gb_made_files_remove(gb_made_files *made);

#endif
