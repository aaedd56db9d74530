#include "kernels/made_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "device/process.h"

/* Waits until the other end of its standard input is closed, by whatever end of its owner. */
#define REMOVE "trap '' HUP INT TERM; read -r end; exec /bin/rm -rf -- \"$1\""

static const char *place(void)
{
    const char *chosen = getenv("TMPDIR");
    if (chosen != NULL && chosen[0] != '\0')
        return chosen;
    return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

/* Starts the shell in a session of its own, which nothing that ends this process's own reaches. Its
 * standard input is the only thing of ours that it has. */
static void start_remover(gb_made_files *made)
{
    static char name[] = "sh", option[] = "-c", script[] = REMOVE;
    char *const argv[] = {name, option, script, name, made->dir, NULL};
    char *const environment[] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    if (posix_spawn(&made->remover, "/bin/sh", &actions, &attributes, argv, environment) != 0)
        made->remover = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (made->remover > 0)
        made->hold = ends[1];
    else
        close(ends[1]);
}

gb_code gb_made_files_open(gb_made_files *out, gb_error *err)
{
    *out = (gb_made_files){.fd = -1, .hold = -1};
    char *pattern = gb_text_format("%s/gpubench-files-XXXXXX", place());
    if (pattern == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the name of a folder");
    if (mkdtemp(pattern) == NULL) {
        gb_fail(err, GB_IO, "no folder for files in %s: %s; TMPDIR may name another place", place(),
                strerror(errno));
        free(pattern);
        return GB_IO;
    }
    out->dir = pattern;
    start_remover(out);
    out->fd = open(out->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return out->fd >= 0 ? GB_OK : gb_fail(err, GB_IO, "%s: %s", out->dir, strerror(errno));
}

gb_code gb_made_files_add(const gb_made_files *made, const char *name, const void *content,
                          size_t n, gb_error *err)
{
    gb_error why = {0};
    const int fd = openat(made->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return gb_fail(err, GB_IO, "%s/%s: %s", made->dir, name, strerror(errno));
    gb_code code = gb_write_all(fd, content, n, &why);
    if (close(fd) != 0 && code == GB_OK)
        code = gb_fail(&why, GB_IO, "%s", strerror(errno));
    return code == GB_OK ? GB_OK : gb_fail(err, GB_IO, "%s/%s: %s", made->dir, name, why.message);
}

static void empty(int fd)
{
    const int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (stream == NULL) {
        if (copy >= 0)
            close(copy);
        return;
    }
    for (struct dirent *e; (e = readdir(stream)) != NULL;)
        unlinkat(fd, e->d_name, 0);
    closedir(stream);
}

void gb_made_files_remove(gb_made_files *made)
{
    if (made->dir == NULL)
        return;
    if (made->fd >= 0) {
        empty(made->fd);
        close(made->fd);
    }
    rmdir(made->dir);
    if (made->remover > 0) {
        close(made->hold);
        while (waitpid(made->remover, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(made->dir);
    *made = (gb_made_files){.fd = -1, .hold = -1};
}
