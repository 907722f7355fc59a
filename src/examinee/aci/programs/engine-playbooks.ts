/** Runs the playbooks of run_playbook by the engine of the cluster. */
import { createPlaybookRunner } from '#platform/playbook'
import type { RunEnginePlaybook } from '#spec'
import type { Playbooks } from '../ports.ts'
import { createPlaybooks } from './create-playbooks.ts'

export const enginePlaybooks = (runOnEngine: RunEnginePlaybook): Playbooks =>
  createPlaybooks(({ api, namespace }) => createPlaybookRunner({ runOnEngine, api, namespace }))
