/* A folder of files for the tests of the kernel pipeline. */
#ifndef GB_TESTS_PIPELINE_FIXTURE_H
#define GB_TESTS_PIPELINE_FIXTURE_H

#include <dirent.h>
#include <unistd.h>

#include "kernels/pipeline.h"
#include "unit/check_main.h"
#include "unit/kernel_args.h"

static char dir[] = "/tmp/gpubench-test-XXXXXX";

static inline void open_dir(void)
{
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

/* Removes a folder of files and folders without contents; false: there is none. */
static inline bool remove_all(const char *path)
{
    char name[512];
    DIR *stream = opendir(path);
    if (stream == NULL)
        return false;
    for (struct dirent *e; (e = readdir(stream)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (unlink(name) != 0)
            rmdir(name);
    }
    closedir(stream);
    return rmdir(path) == 0;
}

static inline void close_dir(void)
{
    ck_assert(remove_all(dir));
}

static inline void write_file(const char *name, const void *bytes, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

static inline gb_files_identity identity_of(void)
{
    gb_files files;
    gb_files_identity found;
    gb_error err = {0};
    ck_assert_int_eq(gb_files_open(dir, &files, &err), GB_OK);
    ck_assert_int_eq(gb_files_identify(&files, NULL, NULL, &found, &err), GB_OK);
    ck_assert(found.number > 0 && found.number < GB_FILES_IDENTITY);
    gb_files_close(&files);
    return found;
}

#endif
