// A program that owns a cluster with pods, so that a test can kill it.
//   ARCHIVE…   the images
import { startPodCluster } from './pod-cluster.ts';

const { name, folder, pid } = await startPodCluster(process.argv.slice(2));
console.log(JSON.stringify({ name, folder, pid }));
