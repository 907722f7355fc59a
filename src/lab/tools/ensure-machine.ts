/** Checks the requirements of episodes: permissions, programs, Ansible. Installs packages if allowed. */
import { ensureAnsible } from './ensure-ansible.ts'
import { ensureSystemPackages } from './system-packages.ts'

/** Throws if something is missing and cannot be installed. */
export const ensureMachine = async (progress: (line: string) => void): Promise<void> => {
  await ensureSystemPackages(progress)
  // Imported here, because the module loads only on Linux.
  const { checkMachine } = await import('#platform/engines/local/machine')
  checkMachine()
  ensureAnsible(progress)
}
