/** Where images have it. */
export const RESEED = '/usr/lib/slipway/reseed'

/**
 * A program that has the kernel of a guest make its random numbers from new entropy at once, and sets the clock:
 * `reseed < time > /dev/urandom`, by root. Bytes that are written there would otherwise be used a minute later, and two
 * guests that started from one memory would draw the same numbers until then. Starter Linux has no program that can ask
 * for it, and those of Debian take half a second to start in software: random(4), RNDRESEEDCRNG. The time is a
 * `struct timespec`, clock_settime(2); where there is none to read, the clock is left as it is.
 *
 * Instructions: Intel SDM volume 2. File: ELF-64 Object File Format, one segment that is all of it.
 */
export function reseedProgram(): Buffer {
  const code = bytes(
    [0xb8, ...u32(SYS_IOCTL)], //      mov eax, SYS_IOCTL
    [0xbf, ...u32(1)], //              mov edi, 1 (its output)
    [0xbe, ...u32(RNDRESEEDCRNG)], //  mov esi, RNDRESEEDCRNG
    [0x31, 0xd2, 0x0f, 0x05], //       xor edx, edx; syscall
    [0x85, 0xc0, 0x75, 26], //         test eax, eax; jnz to the end
    [0x31, 0xff], //                   xor edi, edi (its input); eax is 0, SYS_READ
    [0x48, 0x8d, 0x74, 0x24, 0xe0], // lea rsi, [rsp - 32]
    [0xba, ...u32(16), 0x0f, 0x05], // mov edx, 16; syscall
    [0x83, 0xf8, 0x10, 0x75, 7], //    cmp eax, 16; jne to the end
    [0xb8, ...u32(SYS_CLOCK_SETTIME)], // mov eax, SYS_CLOCK_SETTIME; edi is 0 still, CLOCK_REALTIME
    [0x0f, 0x05], //                   syscall
    [0xf7, 0xd8, 0x89, 0xc7], //       neg eax; mov edi, eax (0, or what went wrong)
    [0xb8, ...u32(SYS_EXIT)], //       mov eax, SYS_EXIT
    [0x0f, 0x05], //                   syscall
  )
  const length = HEADERS + code.length
  const headers = bytes(
    [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, ...zeros(9)], // ELF, 64 bits, little-endian, version 1
    [...u16(2), ...u16(62), ...u32(1)], //             a program, for x86-64, version 1
    [...u64(ORIGIN + HEADERS), ...u64(64), ...u64(0)], // it begins behind the headers; segments, no sections
    [...u32(0), ...u16(64), ...u16(56), ...u16(1)], // flags, sizes of both headers, one segment
    [...zeros(6)], //                                  no sections
    [...u32(1), ...u32(5), ...u64(0)], //              loaded, readable and executable, from the beginning of the file
    [...u64(ORIGIN), ...u64(ORIGIN)], //               to ORIGIN
    [...u64(length), ...u64(length), ...u64(0x1000)], // all of it
  )
  return Buffer.concat([headers, code])
}

const SYS_IOCTL = 16
const SYS_CLOCK_SETTIME = 227
const SYS_EXIT = 60
const RNDRESEEDCRNG = 0x5207
const ORIGIN = 0x400000
const HEADERS = 64 + 56

const bytes = (...parts: number[][]): Buffer => Buffer.from(parts.flat())
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0)
const u16 = (value: number): number[] => [value & 255, value >>> 8]
const u32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255)
const u64 = (value: number): number[] => [...u32(value), 0, 0, 0, 0]
