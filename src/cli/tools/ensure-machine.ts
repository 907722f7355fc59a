/** What episodes need of this machine: rights, programs and Ansible, installed on first use where that is allowed. */
import { ensureAnsible } from './ensure-ansible.ts'
import { ensureSystemPackages } from './system-packages.ts'

/** Throws one sentence where something is missing and cannot be had. */
export const ensureMachine = async (progress: (line: string) => void): Promise<void> => {
  await ensureSystemPackages(progress)
  // Not above: it loads what only Linux has.
  const { checkMachine } = await import('../../engines/local/machine/index.ts')
  checkMachine()
  ensureAnsible(progress)
}
