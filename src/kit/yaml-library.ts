/** The YAML library, loaded when the first document has to be read or written. */
import { createRequire } from 'node:module'
import { lazily } from './lazily.ts'

export const yamlLibrary = lazily(() => createRequire(import.meta.url)('yaml') as typeof import('yaml'))
