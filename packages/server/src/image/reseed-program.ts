/**
 * A program that has the kernel of a guest make its random numbers from new entropy at once: `reseed > /dev/urandom`,
 * by root. Bytes that are written there would otherwise be used a minute later, and two guests that started from one
 * memory would draw the same numbers until then. No program of Starter Linux can ask for it: random(4), RNDRESEEDCRNG.
 *
 * Instructions: Intel SDM volume 2. File: ELF-64 Object File Format, one segment that is all of it.
 */
export function reseedProgram(): Buffer {
  const code = bytes(
    [0xb8, ...u32(SYS_IOCTL)], //      mov eax, SYS_IOCTL
    [0xbf, ...u32(1)], //              mov edi, 1 (its output)
    [0xbe, ...u32(RNDRESEEDCRNG)], //  mov esi, RNDRESEEDCRNG
    [0x31, 0xd2, 0x0f, 0x05], //       xor edx, edx; syscall
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
const SYS_EXIT = 60
const RNDRESEEDCRNG = 0x5207
const ORIGIN = 0x400000
const HEADERS = 64 + 56

const bytes = (...parts: number[][]): Buffer => Buffer.from(parts.flat())
const zeros = (count: number): number[] => Array.from({ length: count }, () => 0)
const u16 = (value: number): number[] => [value & 255, value >>> 8]
const u32 = (value: number): number[] => [0, 8, 16, 24].map((shift) => (value >>> shift) & 255)
const u64 = (value: number): number[] => [...u32(value), 0, 0, 0, 0]
