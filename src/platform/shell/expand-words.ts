/** Expands the words of a command to fields: field splitting and file names. */
import { expandNames } from './expand-names.ts'
import { type Expansion, expandPart, withHome } from './expand-text.ts'
import { addUnquoted, DEFAULT_SEPARATORS, FieldList } from './field-list.ts'
import { hasPattern } from './match-pattern.ts'
import type { Shell } from './shell-state.ts'
import type { Word } from './syntax/script-tree.ts'

/** `"$@"` makes one field of each parameter. */
const addParameters = (list: FieldList, { parameters }: Shell): void => {
  list.hasNoParameters = parameters.length === 0
  for (const [index, parameter] of parameters.entries()) {
    if (index > 0) list.end(false)
    list.add(parameter, true)
  }
}

const joinStar = ({ parameters }: Shell, separators: string): string =>
  parameters.join(separators.slice(0, 1))

const expandWord = async (word: Word, expansion: Expansion): Promise<string[]> => {
  const { shell } = expansion
  const separators = shell.variables.get('IFS')?.value ?? DEFAULT_SEPARATORS
  const list = new FieldList()
  for (const part of withHome(word, expansion)) {
    const isAll = part.type === 'parameter' && part.operator === undefined && /^[@*]$/.test(part.name)
    if (isAll && part.isQuoted && part.name === '@') addParameters(list, shell)
    else if (isAll && part.isQuoted) list.add(joinStar(shell, separators), true)
    else if (isAll)
      for (const [index, parameter] of shell.parameters.entries()) {
        if (index > 0) list.end(false)
        addUnquoted(list, parameter, separators)
      }
    else if (part.isQuoted || part.type === 'text') list.add(await expandPart(part, expansion), part.isQuoted)
    else addUnquoted(list, await expandPart(part, expansion), separators)
  }
  list.end(false)
  return list.fields.flatMap(({ pieces }) => {
    const text = pieces.map((piece) => piece.text).join('')
    return shell.expandsNames && hasPattern(pieces) ? expandNames(shell, pieces, text) : [text]
  })
}

export const expandWords = async (words: readonly Word[], expansion: Expansion): Promise<string[]> => {
  const expanded: string[] = []
  for (const word of words) expanded.push(...(await expandWord(word, expansion)))
  return expanded
}
