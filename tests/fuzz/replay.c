/* Runs a fuzz target once over every file of the folders and files named on the command line, so
 * that what a fuzzer once found stays found in builds without one. Prints how many; fails when
 * there are none. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    size_t n = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(n > 0 ? n : 1);
    if (bytes == NULL || fread(bytes, 1, n, file) != n) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, n);
    free(bytes);
    return 1;
}

static int replay_folder(const char *path)
{
    int count = 0;
    DIR *folder = opendir(path);
    if (folder == NULL) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char name[4096];
        struct stat status;
        int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        if (length > 0 && (size_t)length < sizeof name && stat(name, &status) == 0 &&
            S_ISREG(status.st_mode))
            count += replay_file(name);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
            count += replay_folder(argv[i]);
        else
            count += replay_file(argv[i]);
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
