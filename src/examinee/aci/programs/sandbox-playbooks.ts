/** Runs the playbooks of run_playbook in a sandbox. */
import type { Sandbox } from '#machine/sandbox'
import { createPlaybookRunner } from '#platform/playbook'
import type { Playbooks } from '../ports.ts'
import { createPlaybooks } from './create-playbooks.ts'

export const sandboxPlaybooks = (sandbox: Sandbox): Playbooks =>
  createPlaybooks(({ kubeconfig, namespace }) => createPlaybookRunner({ sandbox, kubeconfig, namespace }))
