/** Runs a trusted playbook of the laboratory with Ansible on the host. */
import { RemediumError } from '#spec'
import { hostExecutor } from './host-executor.ts'
import type { PlaybookReport } from './playbook-report.ts'
import { runAnsible } from './run-ansible.ts'

export interface PlaybookOptions {
  /** YAML. */
  readonly text: string
  /** Content of the kubeconfig. */
  readonly kubeconfig: string
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

/** Default time limit of a playbook of the laboratory. */
export const LABORATORY_TIMEOUT_MS = 300_000

/** Rejects only on failures of the machine, with a RemediumError: other errors would be blamed on the solver. */
export const runPlaybook = async ({
  text,
  kubeconfig,
  signal,
  timeoutMs = LABORATORY_TIMEOUT_MS,
}: PlaybookOptions): Promise<PlaybookReport> => {
  try {
    return await runAnsible(hostExecutor, { text, kubeconfig, inventory: 'localhost\n', signal, timeoutMs })
  } catch (cause) {
    if (cause instanceof RemediumError) throw cause
    throw new RemediumError('tool-failed', `The playbook could not be run (${(cause as Error).message}).`, {
      cause,
    })
  }
}
