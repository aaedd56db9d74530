/* Switching stacks. x86-64 by hand (a switch costs nanoseconds), others through ucontext (about
 * 200 ns: two system calls). Included by fiber.c alone. */
#ifndef GB_DEVICE_SIMT_FIBER_SWITCH_H
#define GB_DEVICE_SIMT_FIBER_SWITCH_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)

/* A suspended stack: its pointer, with the callee-saved registers on top of it. */
typedef struct gb_stack_state {
    void *pointer;
} gb_stack_state;

void gb_stack_switch(gb_stack_state *from, const gb_stack_state *to);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl gb_stack_switch\n"
        ".hidden gb_stack_switch\n"
        ".type gb_stack_switch, @function\n"
        "gb_stack_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size gb_stack_switch, .-gb_stack_switch\n");

/* Prepares a stack of `size` bytes so that the first switch to it calls entry(), which must never
 * return. */
static inline void gb_stack_prepare(gb_stack_state *state, char *stack, size_t size,
                                    void (*entry)(void))
{
    uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
    void **words = (void **)top;
    words[-1] = NULL; /* entry's return address: none */
    words[-2] =
        (void *)(uintptr_t)entry; /* what the switch returns to, stack aligned as for a call */
    for (int i = 3; i <= 8; i++)
        words[-i] = NULL;
    state->pointer = &words[-8];
}

#else

#include <ucontext.h>

typedef struct gb_stack_state {
    ucontext_t context;
} gb_stack_state;

static inline void gb_stack_switch(gb_stack_state *from, const gb_stack_state *to)
{
    swapcontext(&from->context, &to->context);
}

static inline void gb_stack_prepare(gb_stack_state *state, char *stack, size_t size,
                                    void (*entry)(void))
{
    getcontext(&state->context);
    state->context.uc_stack.ss_sp = stack;
    state->context.uc_stack.ss_size = size;
    state->context.uc_link = NULL;
    makecontext(&state->context, entry, 0);
}

#endif
#endif
