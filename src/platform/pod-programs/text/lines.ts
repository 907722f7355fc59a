/** Lines of text, and the inputs of programs that filter it. */
import { type PodProgramCall, ProgramFailure } from '../pod-program.ts'

/** Without the newlines. */
export const splitLines = (text: string): string[] => {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export const joinLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

export interface NamedText {
  readonly name: string
  readonly text: string
}

/** The texts of the files, or the standard input without any. Files that cannot be read are reported. */
export const readInputs = (
  call: PodProgramCall,
  paths: readonly string[],
): { texts: NamedText[]; code: number } => {
  const texts: NamedText[] = []
  let code = 0
  for (const name of paths.length === 0 ? ['-'] : paths) {
    try {
      texts.push({ name, text: call.readText(name) })
    } catch (error) {
      if (!(error instanceof ProgramFailure)) throw error
      call.complain(error.message)
      code = 1
    }
  }
  return { texts, code }
}
