/** The default folder of a run. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `20261115-154230` */
const toStamp = (now: number): string =>
  new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')

const toWord = (text: string): string =>
  text.replaceAll(/[^\w.-]+/g, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'run'

/** `runs/20261115-154230-easy`, with a number at the end if that folder exists. */
export const runFolderName = (suites: readonly string[], now: number): string => {
  const name = join('runs', `${toStamp(now)}-${toWord(suites.join('-')).slice(0, 60)}`)
  const names = [name, ...Array.from({ length: 99 }, (_, index) => `${name}-${index + 2}`)]
  return names.find((candidate) => !existsSync(candidate)) ?? name
}
