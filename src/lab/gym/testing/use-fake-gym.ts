/** Creates gyms whose workers have no clusters, and closes them after the test. */
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { exampleProblem } from '#lab/testing'
import { createGym, type Gym, type GymOptions } from '../create-gym.ts'

export const FAKE_GYM_WORKER = join(import.meta.dirname, 'fake-gym-worker.ts')

export const GYM_PROBLEMS = [
  exampleProblem('a'),
  exampleProblem('b', { task: 'end-to-end' }),
  exampleProblem('failing', { seed: 'fails' }),
  exampleProblem('reading', { task: 'detection' }),
]

export const RIGHT = '- hosts: localhost\n  name: right\n  tasks: []\n'
export const WRONG = RIGHT.replace('right', 'wrong')
export const runPlaybook = (playbook: string) => ({ name: 'run_playbook', input: { playbook } })
export const SUBMIT = { name: 'submit', input: {} }

export const useFakeGym = (options: Partial<GymOptions> = {}): Gym => {
  const gym = createGym({ problems: GYM_PROBLEMS, workers: 1, program: FAKE_GYM_WORKER, ...options })
  onTestFinished(() => gym.close())
  return gym
}
