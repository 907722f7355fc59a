/** Filters and tests by name. */
import type { PythonError } from '../python/python-error.ts'
import type { Keywords } from '../python/value.ts'
import { syntaxError } from '../syntax/syntax-error.ts'
import type { Context } from './frame.ts'

export type Plugin = (
  context: Context,
  value: unknown,
  args: readonly unknown[],
  keywords: Keywords,
) => unknown

export interface Plugins {
  /** Throws PythonError (TemplateSyntaxError) if Ansible has no such filter. */
  filter(name: string): Plugin
  test(name: string): Plugin
}

export const unknownPlugin = (name: string): PythonError => syntaxError(`Could not load "${name}": '${name}'`)
