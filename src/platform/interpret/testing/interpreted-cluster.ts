/** A simulated cluster under a virtual clock, and playbooks that run against it. */
import { onTestFinished } from 'vitest'
import { createRandom, createVirtualClock, deepFreeze, runVirtually, type VirtualClock } from '#kit'
import { createCluster, createSimulatedRuntime, defaultNodes } from '#platform/kube/simulated'
import type { KubeApi } from '#spec'
import { interpretPlaybook } from '../interpret-playbook.ts'
import type { Commands, InterpretedReport, InterpreterAttempt, InterpreterOptions } from '../ports.ts'
import { fakeTemplates } from './fake-templates.ts'

export interface InterpretedCluster {
  readonly clock: VirtualClock
  readonly api: KubeApi
  readonly options: InterpreterOptions
  /** Runs the tasks in a play on localhost, or a whole playbook that begins with a hyphen in the first column. */
  play(text: string, attempt?: InterpreterAttempt): Promise<InterpretedReport>
  run<T>(work: () => Promise<T>): Promise<T>
}

const ADMIN = { username: 'admin', groups: ['system:masters'] }

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ')

export interface ClusterChoices {
  readonly commands?: Commands
  readonly timeoutMs?: number
  /** The output of programs in containers, by command line. */
  readonly programs?: Readonly<Record<string, { exitCode: number; stdout?: string; stderr?: string }>>
}

export const createInterpretedCluster = ({
  commands,
  timeoutMs,
  programs = {},
}: ClusterChoices = {}): InterpretedCluster => {
  const clock = createVirtualClock(Date.UTC(2026, 0, 5, 10))
  const random = createRandom('playbooks')
  const cluster = createCluster({
    clock,
    random,
    sockets: false,
    nodes: defaultNodes(2),
    store: { seal: deepFreeze },
    runtimeFor: (_node, nodeIndex) =>
      createSimulatedRuntime({
        clock,
        random,
        nodeIndex,
        images: () => ({
          run: () => ({
            exec: (command) => programs[command.join(' ')],
            logs: (fromMs) => (fromMs === 0 ? [{ atMs: 0, text: 'started' }] : []),
          }),
        }),
      }),
  })
  onTestFinished(() => cluster.stop())
  clock.advance(60_000)
  const api = cluster.apiFor(ADMIN)
  const options: InterpreterOptions = {
    api,
    discovery: cluster.discovery,
    clock,
    templates: fakeTemplates,
    ...(commands === undefined ? {} : { commands }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
  const toPlaybook = (text: string): string =>
    text.startsWith('- hosts') || text.startsWith('- name: play')
      ? text
      : `- hosts: localhost\n  gather_facts: false\n  tasks:\n${indent(text.replace(/^\n/, ''))}`
  return {
    clock,
    api,
    options,
    run: (work) => runVirtually(clock, work),
    play: (text, attempt) => runVirtually(clock, () => interpretPlaybook(toPlaybook(text), options, attempt)),
  }
}

/** `ok: name` for each task. */
export const outcomesOf = ({ tasks }: InterpretedReport): string[] =>
  tasks.map(({ outcome, task }) => `${outcome}: ${task}`)

/** A Deployment `web` with one container. */
export const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web' } },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'main', image: 'web:1', env: [{ name: 'A', value: '1' }] }] },
    },
  },
}

export const DEPLOYMENTS = { apiVersion: 'apps/v1', plural: 'deployments', namespace: 'default' }
