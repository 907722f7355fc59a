/** What the test run and its tools may use of the command line: where the Kubernetes clients are. */
export * from './tools/ansible.ts'
export * from './tools/debian.ts'
export * from './tools/helm.ts'
export * from './tools/kubectls.ts'
export * from './tools/system-packages.ts'
