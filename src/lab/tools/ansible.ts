/** Finds missing packages of Ansible and its Kubernetes modules. */
import { spawnSync } from 'node:child_process'
import { findAnsiblePlaybook, pythonOf } from '#platform/playbook'

export { findAnsiblePlaybook }

/** The Debian packages of ansible-playbook and its Kubernetes modules, with the Python module of each. */
const MODULE_OF_PACKAGE = {
  ansible: 'ansible_collections.kubernetes.core',
  'python3-kubernetes': 'kubernetes',
  'python3-jsonpatch': 'jsonpatch',
}

/** Searches only folders that are visible in a sandbox; pip installs elsewhere. */
const isImportable = (python: string, module: string): boolean => {
  const program = `
import importlib.util, sys
sys.path = [p for p in sys.path if p.startswith("/usr/") and not p.startswith("/usr/local/")]
sys.exit(importlib.util.find_spec("${module}") is None)`
  return spawnSync(python, ['-c', program], { stdio: 'ignore' }).status === 0
}

/** Returns the missing Debian packages. */
export const missingAnsiblePackages = (playbook = findAnsiblePlaybook()): string[] => {
  if (playbook === undefined) return Object.keys(MODULE_OF_PACKAGE)
  const python = pythonOf(playbook)
  return Object.entries(MODULE_OF_PACKAGE)
    .filter(([, module]) => !isImportable(python, module))
    .map(([name]) => name)
}
