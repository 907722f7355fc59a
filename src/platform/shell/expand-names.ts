/** Expands patterns of file names. */
import { posix } from 'node:path'
import { UnsupportedCommand } from '#spec'
import { compilePattern, hasPattern, type PatternPiece } from './match-pattern.ts'
import type { Shell } from './shell-state.ts'

/** Splits a pattern at its slashes. */
const splitAtSlashes = (pieces: readonly PatternPiece[]): PatternPiece[][] => {
  const parts: PatternPiece[][] = [[]]
  for (const { text, isQuoted } of pieces)
    for (const [index, piece] of text.split('/').entries()) {
      if (index > 0) parts.push([])
      if (piece !== '') parts.at(-1)!.push({ text: piece, isQuoted })
    }
  return parts
}

/** Returns the text itself if the pattern matches no file. */
export const expandNames = (shell: Shell, pieces: readonly PatternPiece[], text: string): string[] => {
  const { files } = shell.port
  if (files === undefined) {
    // Only the current folder could match, and its files are not modelled.
    if (text.includes('/') || /^[*?]+$/.test(text))
      throw new UnsupportedCommand(`the file name pattern ${text}`)
    return [text]
  }
  const parts = splitAtSlashes(pieces)
  const isAbsolute = text.startsWith('/')
  let paths = [isAbsolute ? '/' : '']
  for (const [index, part] of (isAbsolute ? parts.slice(1) : parts).entries()) {
    const literal = part.map((piece) => piece.text).join('')
    const isLast = index === (isAbsolute ? parts.length - 2 : parts.length - 1)
    if (literal === '') {
      const isFolder = (path: string): boolean =>
        files.statusOf(posix.resolve(shell.folder, path))?.type === 'folder'
      if (isLast) paths = paths.filter(isFolder).map((path) => `${path}/`)
      continue
    }
    const matches = compilePattern(part)
    paths = paths.flatMap((path) => {
      const at = (name: string): string =>
        path === '' || path.endsWith('/') ? path + name : `${path}/${name}`
      const resolve = (name: string): string => posix.resolve(shell.folder, at(name))
      if (!hasPattern(part)) return files.exists(resolve(literal)) ? [at(literal)] : []
      const folder = posix.resolve(shell.folder, path)
      if (files.statusOf(folder)?.type !== 'folder') return []
      const names = files
        .list(folder)
        .filter((name) => matches(name) && (!name.startsWith('.') || literal.startsWith('.')))
      return names.map(at)
    })
  }
  return paths.length === 0 || paths[0] === '' ? [text] : paths.sort()
}
