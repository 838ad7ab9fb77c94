/**
 * A boot sector that proves an accelerator: it enters 64-bit mode, counts down from twenty million, takes a
 * breakpoint exception through an interrupt table of its own and then ends QEMU through `isa-debug-exit`.
 *
 * Hardware does that in a few milliseconds. A KVM that emulates guest code instead is some ten thousand times
 * slower, or stops at the exception; to such a host QEMU's own translation is far better.
 *
 * Instructions: Intel SDM volume 2. Loaded at 0x7c00 by the BIOS, which starts it in 16-bit mode.
 */
export function bootSector(): Buffer {
  const code16 = bytes(
    [0xfa], //                                        cli
    [0x31, 0xc0], //                                  xor ax, ax
    [0x8e, 0xd8, 0x8e, 0xc0, 0x8e, 0xd0], //          mov ds, ax; mov es, ax; mov ss, ax
    [0xbc, ...u16(ORIGIN)], //                        mov sp, ORIGIN
    // Page tables at 0x1000, 0x2000 and 0x3000: the first two megabytes, as they are.
    [0xbf, ...u16(0x1000), 0xb9, ...u16(0x1800)], //  mov di, 0x1000; mov cx, 0x1800
    [0xfc, 0xf3, 0xab], //                            cld; rep stosw
    [0x66, 0xc7, 0x06, ...u16(0x1000), ...u32(0x2003)], // mov dword [0x1000], next table, present, writable
    [0x66, 0xc7, 0x06, ...u16(0x2000), ...u32(0x3003)], // mov dword [0x2000], next table, present, writable
    [0x66, 0xc7, 0x06, ...u16(0x3000), ...u32(0x0083)], // mov dword [0x3000], 2 MiB page, present, writable
    [0x66, 0xb8, ...u32(0x1000), 0x0f, 0x22, 0xd8], // mov eax, 0x1000; mov cr3, eax
    [0x0f, 0x20, 0xe0], //                            mov eax, cr4
    [0x66, 0x83, 0xc8, 0x20, 0x0f, 0x22, 0xe0], //    or eax, PAE; mov cr4, eax
    [0x66, 0xb9, ...u32(0xc0000080), 0x0f, 0x32], //  mov ecx, EFER; rdmsr
    [0x66, 0x0d, ...u32(0x100), 0x0f, 0x30], //       or eax, LME; wrmsr
    [0x0f, 0x01, 0x16, ...u16(GDT_POINTER)], //       lgdt [GDT_POINTER]
    [0x0f, 0x20, 0xc0], //                            mov eax, cr0
    [0x66, 0x0d, ...u32(0x80000001), 0x0f, 0x22, 0xc0], // or eax, PG | PE; mov cr0, eax
    [0xea, ...u16(CODE64), ...u16(CODE_SELECTOR)], // jmp CODE_SELECTOR:CODE64
  )
  const code64 = bytes(
    [0xb9, ...u32(LOOPS)], //                         mov ecx, LOOPS
    [0x48, 0xff, 0xc9, 0x75, 0xfb], //                again: dec rcx; jnz again
    // The interrupt table at 0x5000; entry 3, the breakpoint, is an interrupt gate to HANDLER.
    [0xbf, ...u32(IDT), 0x31, 0xc0], //               mov edi, IDT; xor eax, eax
    [0xb9, ...u32(0x200), 0xf3, 0xab], //             mov ecx, 0x200; rep stosd
    [0xbf, ...u32(IDT + 3 * 16)], //                  mov edi, IDT + 3 * 16
    [0x66, 0xc7, 0x07, ...u16(HANDLER)], //           mov word [rdi], HANDLER
    [0x66, 0xc7, 0x47, 0x02, ...u16(CODE_SELECTOR)], // mov word [rdi + 2], CODE_SELECTOR
    [0x66, 0xc7, 0x47, 0x04, ...u16(0x8e00)], //      mov word [rdi + 4], present interrupt gate
    [0x0f, 0x01, 0x1c, 0x25, ...u32(IDT_POINTER)], // lidt [IDT_POINTER]
    [0xcc], //                                        int3
    [0xeb, 0xfe], //                                  jmp here: the exception was lost
  )
  const handler = bytes(
    [0xb0, EXIT_VALUE, 0xe6, EXIT_PORT], //           mov al, EXIT_VALUE; out EXIT_PORT, al
    [0xf4, 0xeb, 0xfd], //                            halt: hlt; jmp halt
  )
  const tables = bytes(
    [0, 0, 0, 0, 0, 0, 0, 0], //                      GDT: the empty descriptor
    [0xff, 0xff, 0, 0, 0, 0x9a, 0xaf, 0], //          64-bit code
    [0xff, 0xff, 0, 0, 0, 0x92, 0xcf, 0], //          data
    [...u16(23), ...u32(GDT)], //                     GDT_POINTER
    [...u16(0x0fff), ...u32(IDT)], //                 IDT_POINTER
  )

  const sector = Buffer.alloc(512)
  code16.copy(sector)
  code64.copy(sector, CODE64 - ORIGIN)
  handler.copy(sector, HANDLER - ORIGIN)
  tables.copy(sector, GDT - ORIGIN)
  sector.set([0x55, 0xaa], 510)
  return sector
}

/** What `isa-debug-exit` looks at, and the status QEMU then ends with: value * 2 + 1. */
export const EXIT_PORT = 0xf4
const EXIT_VALUE = 0x20
export const PROVEN_STATUS = EXIT_VALUE * 2 + 1

const LOOPS = 20_000_000
const ORIGIN = 0x7c00
const CODE64 = 0x7c80
const HANDLER = 0x7ce0
const GDT = 0x7cf0
const GDT_POINTER = GDT + 24
const IDT_POINTER = GDT_POINTER + 6
const IDT = 0x5000
const CODE_SELECTOR = 8

const bytes = (...parts: number[][]): Buffer => Buffer.from(parts.flat())
const u16 = (value: number): number[] => [value & 255, value >>> 8]
const u32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255)
