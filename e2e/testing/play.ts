/** Runs a playbook with the real Ansible against a test cluster, and returns the result of each task. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ansiblePlaybook, kubectls } from '../tools.ts'
import type { Credentials, TestCluster } from './test-cluster.ts'

/** The result of a task: `changed`, `failed`, `msg`, and the fields of its module. */
export type TaskReport = Record<string, any>

export interface PlayOptions {
  variables?: Record<string, unknown>
  /** The check mode of Ansible: reports what would change, and changes nothing. */
  check?: boolean
  credentials?: Credentials
}

/** Returns the result of the task with this name. */
export type TaskReports = (task: string) => TaskReport

/** The server's message in a failed result, without the escapes of JSON in a Python bytes literal. */
export const serverMessage = ({ msg }: TaskReport): string => String(msg).replaceAll('\\', '')

interface CallbackOutput {
  plays: { tasks: { task: { name: string }; hosts: Record<string, TaskReport> }[] }[]
}

const PLAYBOOKS = join(import.meta.dirname, '..', 'ansible-playbooks')
const HOST = 'localhost'

const SETTINGS = [
  'ANSIBLE_STDOUT_CALLBACK=json',
  'ANSIBLE_LOCALHOST_WARNING=false',
  'ANSIBLE_DEPRECATION_WARNINGS=false',
  'K8S_AUTH_KUBECONFIG="$KUBECONFIG"',
  // The modules cache discovery in a file in this folder, by the address of the server.
  'TMPDIR="$PWD"',
  'ANSIBLE_REMOTE_TMP="$PWD"',
  'ANSIBLE_LOCAL_TEMP="$PWD"',
]

/** Rejects if the playbook stops before its end; tasks that are expected to fail set `ignore_errors`. */
export const play = async (
  cluster: TestCluster,
  playbook: string,
  { variables = {}, check = false, credentials = 'token' }: PlayOptions = {},
): Promise<TaskReports> => {
  const shell = await cluster.shell(kubectls().at(-1)!, 'default', credentials)
  writeFileSync(join(shell.cwd, 'variables.json'), JSON.stringify(variables))
  const command = [ansiblePlaybook(), '-e @variables.json', check ? '--check' : '', join(PLAYBOOKS, playbook)]
  const { code, stdout, stderr } = await shell.start([...SETTINGS, ...command].join(' ')).ended
  if (!stdout.startsWith('{')) throw new Error(`${playbook} exited with ${code}:\n${stdout}${stderr}`)
  const { plays }: CallbackOutput = JSON.parse(stdout)
  const tasks = plays
    .flatMap((entry) => entry.tasks)
    .map(({ task, hosts }) => [task.name, hosts[HOST]!] as const)
  if (code !== 0) throw new Error(`${playbook} stopped: ${JSON.stringify(tasks.at(-1), null, 2)}`)
  const reports = new Map(tasks)
  return (task) => {
    const report = reports.get(task)
    if (report === undefined) throw new Error(`${playbook} has no task "${task}"`)
    return report
  }
}
