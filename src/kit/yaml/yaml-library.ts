/** The YAML library, loaded on first use. */
import { createRequire } from 'node:module'
import { lazily } from '../lazily.ts'

export const yamlLibrary = lazily(() => createRequire(import.meta.url)('yaml') as typeof import('yaml'))
