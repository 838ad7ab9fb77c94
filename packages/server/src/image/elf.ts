/**
 * Names of the shared libraries a 64-bit little-endian ELF file asks for (its DT_NEEDED entries), and its
 * interpreter. Empty for static programs and for files that are not ELF.
 * Layout: System V ABI, "Program Header" and "Dynamic Section".
 */
export function neededLibraries(file: Buffer): { interpreter: string | null; libraries: string[] } {
  const nothing = { interpreter: null, libraries: [] }
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2) return nothing

  const headerAt = Number(file.readBigUInt64LE(32))
  const headerSize = file.readUInt16LE(54)
  const segments = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = headerAt + index * headerSize
    return {
      type: file.readUInt32LE(at),
      offset: Number(file.readBigUInt64LE(at + 8)),
      address: Number(file.readBigUInt64LE(at + 16)),
      size: Number(file.readBigUInt64LE(at + 32)),
    }
  })
  const textAt = (offset: number) => file.toString('latin1', offset, file.indexOf(0, offset))
  const offsetOf = (address: number) => {
    const home = segments.find((s) => s.type === LOAD && address >= s.address && address < s.address + s.size)
    return home ? address - home.address + home.offset : 0
  }

  const interpreter = segments.find((segment) => segment.type === INTERP)
  const dynamic = segments.find((segment) => segment.type === DYNAMIC)
  if (!dynamic) return nothing
  const needed: number[] = []
  let strings = 0
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
    const tag = Number(file.readBigInt64LE(at))
    const value = Number(file.readBigUInt64LE(at + 8))
    if (tag === DT_NEEDED) needed.push(value)
    if (tag === DT_STRTAB) strings = offsetOf(value)
  }
  return {
    interpreter: interpreter ? textAt(interpreter.offset) : null,
    libraries: needed.map((offset) => textAt(strings + offset)),
  }
}

const LOAD = 1
const DYNAMIC = 2
const INTERP = 3
const DT_NEEDED = 1
const DT_STRTAB = 5
