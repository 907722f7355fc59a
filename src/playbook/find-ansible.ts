/** Finds ansible-playbook and the Python that it runs on. */
import { readFileSync } from 'node:fs'
import { findExecutable } from '../kit/index.ts'

export const findAnsiblePlaybook = (): string | undefined => findExecutable('ansible-playbook')

/** The Python that ansible-playbook itself runs on, which need not be the first on the PATH. */
export const pythonOf = (script: string): string =>
  /^#!\s*(\S+python\S*)/.exec(readFileSync(script, 'utf8'))?.[1] ?? 'python3'
