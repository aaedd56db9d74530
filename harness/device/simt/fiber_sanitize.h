/* What the sanitizers must be told about fibers; nothing in a plain build.
 *
 * TSan: every fiber is a thread of its own to it. Order between fibers exists only where the kernel
 * asks for it: a fiber releases on arriving at a barrier and acquires on leaving. Two objects per
 * barrier, used in turn: with one, a fiber that leaves late would also acquire what an early one
 * released at the next barrier, and races would hide. fiber.c is compiled without instrumentation
 * (GB_FIBER_TSAN says that the build has it).
 * ASan: must know the bounds of the stack that is switched to. */
#ifndef GB_DEVICE_SIMT_FIBER_SANITIZE_H
#define GB_DEVICE_SIMT_FIBER_SANITIZE_H

#include <stddef.h>

#ifdef GB_FIBER_TSAN
#include <sanitizer/tsan_interface.h>
/* since LLVM 9 and GCC 10; not in every version of the header */
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
#define GB_TSAN_NO_SYNC 1u
static inline void *gb_tsan_current(void)
{
    return __tsan_get_current_fiber();
}
static inline void *gb_tsan_create(void)
{
    return __tsan_create_fiber(0);
}
static inline void gb_tsan_destroy(void *fiber)
{
    __tsan_destroy_fiber(fiber);
}
static inline void gb_tsan_switch(void *fiber)
{
    __tsan_switch_to_fiber(fiber, GB_TSAN_NO_SYNC);
}
static inline void gb_tsan_acquire(void *object)
{
    __tsan_acquire(object);
}
static inline void gb_tsan_release(void *object)
{
    __tsan_release(object);
}
#else
static inline void *gb_tsan_current(void)
{
    return NULL;
}
static inline void *gb_tsan_create(void)
{
    return NULL;
}
static inline void gb_tsan_destroy(void *fiber)
{
    (void)fiber;
}
static inline void gb_tsan_switch(void *fiber)
{
    (void)fiber;
}
static inline void gb_tsan_acquire(void *object)
{
    (void)object;
}
static inline void gb_tsan_release(void *object)
{
    (void)object;
}
#endif

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
static inline void gb_asan_leave(void **fake, const void *bottom, size_t size)
{
    __sanitizer_start_switch_fiber(fake, bottom, size);
}
static inline void gb_asan_enter(void *fake, const void **bottom, size_t *size)
{
    __sanitizer_finish_switch_fiber(fake, bottom, size);
}
static inline void gb_asan_forget(void *stack, size_t size)
{
    __asan_unpoison_memory_region(stack, size);
}
#define GB_FIBER_STACK_BYTES (256u * 1024)
#else
static inline void gb_asan_leave(void **fake, const void *bottom, size_t size)
{
    (void)fake, (void)bottom, (void)size;
}
static inline void gb_asan_enter(void *fake, const void **bottom, size_t *size)
{
    (void)fake, (void)bottom, (void)size;
}
static inline void gb_asan_forget(void *stack, size_t size)
{
    (void)stack, (void)size;
}
#ifdef GB_FIBER_TSAN
#define GB_FIBER_STACK_BYTES (256u * 1024)
#else
#define GB_FIBER_STACK_BYTES (64u * 1024)
#endif
#endif

#endif
