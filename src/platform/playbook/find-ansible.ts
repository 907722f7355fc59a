/** Finds ansible-playbook and its Python interpreter. */
import { readFileSync } from 'node:fs'
import { isExecutable } from '#kit'

/** The folders that are visible in a sandbox; the PATH is ignored. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export const findAnsiblePlaybook = (): string | undefined =>
  FOLDERS.map((folder) => `${folder}/ansible-playbook`).find(isExecutable)

/** Returns the Python interpreter of ansible-playbook, which need not be the first on the PATH. */
export const pythonOf = (script: string): string =>
  /^#!\s*(\S+python\S*)/.exec(readFileSync(script, 'utf8'))?.[1] ?? 'python3'
