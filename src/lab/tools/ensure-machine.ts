/** Checks what episodes need on this machine: permissions, programs and Ansible; installs them on first use if allowed. */
import { ensureAnsible } from './ensure-ansible.ts'
import { ensureSystemPackages } from './system-packages.ts'

/** Throws if something is missing and cannot be installed. */
export const ensureMachine = async (progress: (line: string) => void): Promise<void> => {
  await ensureSystemPackages(progress)
  // Imported here, because it loads on Linux only.
  const { checkMachine } = await import('#platform/engines/local/machine')
  checkMachine()
  ensureAnsible(progress)
}
