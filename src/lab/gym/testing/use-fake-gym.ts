/** A gym for the tests of one file, whose workers have no clusters. */
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { exampleProblem, loadExampleSystem } from '#lab/testing'
import { createGym, type Gym, type GymOptions } from '../create-gym.ts'
import type { GymSession } from '../create-gym-session.ts'

const FAKE_GYM_WORKER = join(import.meta.dirname, 'fake-gym-worker.ts')

const PROBLEMS = [
  exampleProblem('a'),
  exampleProblem('b', { task: 'end-to-end' }),
  exampleProblem('failing', { seed: 'fails' }),
  exampleProblem('reading', { task: 'detection' }),
]

export const RIGHT = '- hosts: localhost\n  name: right\n  tasks: []\n'
export const WRONG = RIGHT.replace('right', 'wrong')
export const runPlaybook = (playbook: string) => ({ name: 'run_playbook', input: { playbook } })
export const SUBMIT = { name: 'submit', input: {} }

export interface FakeGym {
  readonly gym: Gym
  /** Opens a session until the end of the test. */
  openSession(): GymSession
}

/** With two workers, each for one session. */
export const useFakeGym = (options: Partial<GymOptions> = {}): FakeGym => {
  let gym: Gym
  beforeAll(async () => {
    gym = createGym({
      problems: PROBLEMS,
      workers: 2,
      program: FAKE_GYM_WORKER,
      loadSystem: loadExampleSystem,
      ...options,
    })
    // Starts both workers, which takes long on a busy machine.
    await gym.score([RIGHT, RIGHT].map((playbook) => ({ problem: 'a', playbook })))
  })
  afterAll(() => gym.close())
  return {
    get gym() {
      return gym
    },
    openSession() {
      const session = gym.openSession()
      onTestFinished(() => session.close())
      return session
    },
  }
}
