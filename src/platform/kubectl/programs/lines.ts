/** Splits and joins lines, for the programs that filter them. */
import { UnsupportedCommand } from '#spec'

export const splitLines = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Only standard input is modelled. */
export const refuseFiles = (program: string, files: readonly string[]): void => {
  const file = files.find((each) => each !== '-')
  if (file !== undefined) throw new UnsupportedCommand(`${program} with the file ${file}`)
}
