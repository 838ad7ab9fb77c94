/** What a builder is given. */
export interface BuildWork {
  /** An empty directory; whatever is left in it is removed afterwards. */
  workDir: string
  signal: AbortSignal
  /** 0 to 1, null while unknown. */
  onProgress: (fraction: number | null) => void
}

/** Files a builder has left in its work directory, and how a machine boots from them. */
export interface BuiltImage {
  /** A qcow2 file. Where the image builds upon another one, its backing file is that one's disk by its bare name. */
  disk: string
  /** Absent: the machine starts by the boot loader on its disk. With a lower image: absent as well, as its are used. */
  kernel?: string
  initrd?: string
  cmdline?: string
  /** What other images are built upon: the root file system as a tar archive packed with zstd. */
  tree?: string
  /** What it was made of, for the record: packages with versions, an address. */
  sources: string[]
}

/** The image another one is built upon. */
export interface LowerImage {
  disk: string
  /** Its root file system, see `BuiltImage.tree`. */
  tree: string
}
