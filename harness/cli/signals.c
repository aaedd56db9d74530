#include "cli/cli.h"

volatile sig_atomic_t gb_cli_interrupts;
static volatile sig_atomic_t last_signal;

static void count(int number)
{
    last_signal = number;
    if (gb_cli_interrupts < 2)
        gb_cli_interrupts++;
}

void gb_cli_catch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = count}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        /* Whoever started this with SIGHUP or SIGINT ignored (nohup, a background job) means it. */
        if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
}

int gb_cli_signal_status(void)
{
    return 128 + (last_signal ? last_signal : SIGINT);
}
