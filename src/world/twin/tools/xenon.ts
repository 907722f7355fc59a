/** The sidecar of each MySQL server of a replicated cluster. */
import { runXenon } from '#world/twin/tool-cores'
import { createProcessXenonHost } from './xenon-host/create-process-xenon-host.ts'

// Probes look for a process of this name.
process.title = 'xenon'

void runXenon(createProcessXenonHost()).then((code) => process.exit(code))
