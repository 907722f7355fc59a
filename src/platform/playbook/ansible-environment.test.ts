/** Tests of fact gathering for plays without `gather_facts`. */
import { expect, it } from 'vitest'
import { ansibleEnvironment } from './ansible-environment.ts'

const gatheringMode = (task: string): string | undefined =>
  ansibleEnvironment({
    text: `- hosts: localhost\n  tasks:\n    - ${task}\n`,
    home: '/tmp',
    kubeconfig: '',
    config: '',
    python: 'python3',
  }).ANSIBLE_GATHERING

it.each([
  'debug: {msg: "{{ ansible_date_time.iso8601 }}"}',
  'debug: {msg: "{{ ansible_facts[\'date_time\'].epoch }}"}',
  'debug: {msg: "{{ hostvars[inventory_hostname].ansible_hostname }}"}',
  'debug: {var: ansible_user_id}',
  'debug: {msg: no}\n      when: ansible_python_version is version("3.9", ">=")',
])('gathers facts implicitly, as stock Ansible does, if a fact is used: %s', (task) => {
  expect(gatheringMode(task)).toBe('implicit')
})

it.each([
  'kubernetes.core.k8s_scale: {kind: Deployment, name: a, namespace: b, replicas: 1}',
  'ansible.builtin.command: kubectl get pods',
  'debug: {msg: "{{ ansible_failed_result.msg }} {{ ansible_check_mode }} {{ my_ansible_note }}"}',
  'command: "true"\n      vars: {ansible_connection: local, ansible_python_interpreter: python3, ansible_become: no}',
  'command: "true"\n      loop_control: {extended: yes, label: "{{ ansible_loop.index }}"}',
])('gathers facts only on request if no fact is used: %s', (task) => {
  expect(gatheringMode(task)).toBe('explicit')
})
