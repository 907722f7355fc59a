/** The content of one file of a simulated volume. */

/** The unit in which file systems and memory volumes allocate space. */
export const BLOCK_BYTES = 4096

/** Plain data, so that it can be copied. */
export interface StoredFile {
  /** The path relative to the root of the volume, without a leading slash. */
  path: string
  /** The content in pieces. They are never changed in place, so that copies of a volume can share them. */
  chunks: Uint8Array[]
  /** The number of leading pieces that were joined from smaller ones. */
  joinedChunks: number
  /** Yields the content on first use; undefined afterwards. */
  load: (() => Uint8Array) | undefined
  size: number
  /** The allocated blocks; 0 for a file of an image until it is changed, as in an overlay. */
  blocks: number
  /** The size of the gaps that no program has written. */
  holeBytes: number
  /** The number of changes of the content. */
  changes: number
  /** The number of open handles. The blocks are freed when the file is unlinked and closed. */
  opened: number
  hasName: boolean
}

export const createStoredFile = (path: string, load?: () => Uint8Array): StoredFile => ({
  path,
  chunks: [],
  joinedChunks: 0,
  load,
  size: 0,
  blocks: 0,
  holeBytes: 0,
  changes: 0,
  opened: 0,
  hasName: true,
})

/** More appended pieces than this are joined: otherwise a log file would have thousands of them. */
const MAX_APPENDED_CHUNKS = 256

const setContent = (file: StoredFile, content: Uint8Array): void => {
  file.chunks = content.length === 0 ? [] : [content]
  file.joinedChunks = file.chunks.length
  file.size = content.length
}

/** Computes the content, so that the size is known. */
export const loadContent = (file: StoredFile): void => {
  const { load } = file
  if (load === undefined) return
  file.load = undefined
  setContent(file, load())
}

/** Returns a buffer of `size` bytes that starts with the content of the pieces. */
const joinChunks = (chunks: readonly Uint8Array[], size: number): Uint8Array => {
  const joined = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}

/** Joins only the pieces that were appended since the last time, so that the cost does not grow with the file. */
const joinAppended = (file: StoredFile): void => {
  const appended = file.chunks.splice(file.joinedChunks)
  const size = appended.reduce((sum, { length }) => sum + length, 0)
  file.joinedChunks = file.chunks.push(joinChunks(appended, size))
}

/** Returns a copy of the content. */
export const readContent = (file: StoredFile): Uint8Array => {
  loadContent(file)
  return joinChunks(file.chunks, file.size)
}

/** The content must be loaded. Bytes after its end, up to `position`, become zero. */
export const writeContent = (file: StoredFile, bytes: Uint8Array, position: number): void => {
  file.changes += 1
  file.holeBytes += Math.max(0, position - file.size)
  if (position === file.size) {
    // Copied, because the caller can reuse its buffer.
    file.chunks.push(new Uint8Array(bytes))
    file.size += bytes.length
    if (file.chunks.length - file.joinedChunks > MAX_APPENDED_CHUNKS) joinAppended(file)
    return
  }
  const content = joinChunks(file.chunks, Math.max(file.size, position + bytes.length))
  content.set(bytes, position)
  setContent(file, content)
}

/** The content must be loaded. */
export const resizeContent = (file: StoredFile, size: number): void => {
  file.changes += 1
  file.holeBytes = size < file.size ? Math.min(file.holeBytes, size) : file.holeBytes + size - file.size
  if (size === 0) setContent(file, new Uint8Array(0))
  else if (size !== file.size)
    setContent(file, joinChunks(file.chunks, Math.max(file.size, size)).slice(0, size))
}

/** The blocks that a file of this size needs. Holes are counted, because programs rely on none. */
export const toBlocks = (size: number): number => Math.ceil(size / BLOCK_BYTES)
