/** Finds ansible-playbook and the Python that it runs on. */
import { readFileSync } from 'node:fs'
import { isExecutable } from '../kit/index.ts'

/** Only programs of these folders are seen in a sandbox, whatever comes first on the PATH. */
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin']

export const findAnsiblePlaybook = (): string | undefined =>
  FOLDERS.map((folder) => `${folder}/ansible-playbook`).find(isExecutable)

/** The Python that ansible-playbook itself runs on, which need not be the first on the PATH. */
export const pythonOf = (script: string): string =>
  /^#!\s*(\S+python\S*)/.exec(readFileSync(script, 'utf8'))?.[1] ?? 'python3'
