/** Paths below a folder in which others may put links: a link leads nowhere but inside. */
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'

const MOST_LINKS = 40

const linkAt = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    // It is not a link, or not there.
    return undefined
  }
}

/** The real path for `path` as one who lives in `root` sees it; what does not exist yet stays as it is. */
export const pathInside = (root: string, path: string): string => {
  const parts = path.split('/')
  let done: string[] = []
  let links = 0
  while (parts.length > 0) {
    const part = parts.shift()!
    if (part === '' || part === '.') continue
    if (part === '..') {
      done.pop()
      continue
    }
    const target = linkAt(join(root, ...done, part))
    if (target === undefined) {
      done.push(part)
      continue
    }
    links += 1
    if (links > MOST_LINKS) throw new Error(`too many levels of symbolic links: ${path}`)
    if (target.startsWith('/')) done = []
    parts.unshift(...target.split('/'))
  }
  return join(root, ...done)
}
