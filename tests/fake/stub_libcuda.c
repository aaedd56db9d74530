/* Stands for the toolkit's link-time stub of the driver library: loads, and can do nothing. */
int cuInit(unsigned flags);

int cuInit(unsigned flags)
{
    (void)flags;
    return 34;
}
