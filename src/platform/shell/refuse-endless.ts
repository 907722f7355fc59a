/** Refuses programs in a pipeline that do not end by themselves. */
import { UnsupportedCommand } from '#spec'
import type { Command } from './syntax/script-tree.ts'

const ENDLESS = /^(?:yes|watch|tail (?:.* )?(?:-\w*[fF]|--follow).*)\b/

/** A program that does not end by itself would end by a broken pipe. */
export const refuseEndless = (command: Command): void => {
  if (command.type !== 'simple') return
  const text = command.words
    .map((word) => word.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    .join(' ')
  if (ENDLESS.test(text)) throw new UnsupportedCommand(`${text} in a pipeline`)
}
