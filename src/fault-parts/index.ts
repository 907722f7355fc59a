/** What faults are made of: edits of workloads, chaos objects, playbooks, and questions about objects. */
export * from './chaos.ts'
export * from './containers.ts'
export * from './edit-workload.ts'
export * from './playbook.ts'
export * from './pods.ts'
