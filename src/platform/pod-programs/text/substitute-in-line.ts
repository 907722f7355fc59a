/** Replaces text in one line, as the command s of sed does. */
import type { LinearPattern } from '#kit'
import type { PodProgramCall } from '../pod-program.ts'
import type { SedLine } from './sed-command.ts'

/** Groups of the match cannot be inserted. */
export const toReplacement = (call: PodProgramCall, text: string): ((match: string) => string) => {
  if (/\\[1-9]/.test(text)) call.refuse()
  const parts = text.match(/\\[\s\S]|&|[^\\&]+/g) ?? []
  return (match) =>
    parts
      .map((part) =>
        part === '&' ? match : part === '\\n' ? '\n' : part === '\\t' ? '\t' : part.replace(/^\\/, ''),
      )
      .join('')
}

export const substituteInLine = (
  line: SedLine,
  pattern: LinearPattern,
  insert: (match: string) => string,
  isGlobal: boolean,
): boolean => {
  const { text } = line
  let result = ''
  let done = 0
  let isChanged = false
  for (let at = pattern.find(text); at !== undefined; at = pattern.find(text, done)) {
    const [start, end] = at
    result += text.slice(done, start) + insert(text.slice(start, end))
    done = end
    isChanged = true
    if (!isGlobal) break
    if (end === start) {
      result += text.slice(done, done + 1)
      done += 1
    }
    if (done > text.length || (done === text.length && end > start)) break
  }
  line.text = result + text.slice(done)
  return isChanged
}
