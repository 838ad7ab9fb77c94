/** A whole qcow2 file that holds nothing, for what has no bytes. QEMU's qcow2 specification, "Header". */
const CLUSTER_BITS = 16
const CLUSTER = 1 << CLUSTER_BITS
/** What one entry of the first table leads to: a table of as many entries as fit a cluster, each for a cluster. */
const L1_COVERS = (CLUSTER / 8) * CLUSTER

export function blankQcow2(virtualBytes: number): Buffer {
  const entries = Math.max(1, Math.ceil(virtualBytes / L1_COVERS))
  const l1Clusters = Math.ceil((entries * 8) / CLUSTER)
  const clusters = 3 + l1Clusters
  const file = Buffer.alloc(clusters * CLUSTER)
  file.write('QFI\xfb', 0, 'latin1')
  file.writeUInt32BE(3, 4)
  file.writeUInt32BE(CLUSTER_BITS, 20)
  file.writeBigUInt64BE(BigInt(virtualBytes), 24)
  file.writeUInt32BE(entries, 36)
  file.writeBigUInt64BE(BigInt(3 * CLUSTER), 40)
  file.writeBigUInt64BE(BigInt(CLUSTER), 48)
  file.writeUInt32BE(1, 56)
  // Counts of 16 bits.
  file.writeUInt32BE(4, 96)
  file.writeUInt32BE(104, 100)
  file.writeBigUInt64BE(BigInt(2 * CLUSTER), CLUSTER)
  for (let i = 0; i < clusters; i++) file.writeUInt16BE(1, 2 * CLUSTER + 2 * i)
  return file
}
