/** Writes the page of a command whose result is already printed. */
import { writeFileSync } from 'node:fs'
import { giveToCaller } from '#kit'

/** Returns whether the page could be written. Does not throw, so that the command can end normally. */
export const writePage = (path: string, page: string, progress: (line: string) => void): boolean => {
  try {
    writeFileSync(path, page)
    giveToCaller(path)
    return true
  } catch (error) {
    progress(`remedium: The result cannot be written to ${path}: ${(error as Error).message}.`)
    return false
  }
}
