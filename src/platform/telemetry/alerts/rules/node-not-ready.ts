/** A node is not Ready. */
import { defineAlertRule } from '../alert-rule.ts'

const PENDING_MS = 2000

export const nodeNotReady = defineAlertRule({
  name: 'NodeNotReady',
  severity: 'page',
  *find({ nodes, now, startedAt }) {
    for (const { name: node, ready, since } of nodes) {
      if (ready || now - Math.max(since, startedAt) < PENDING_MS) continue
      yield { labels: { node }, summary: `Node ${node} is not Ready` }
    }
  },
})
