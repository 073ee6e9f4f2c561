import { it } from 'vitest';
import { whyNot } from '../provision/index.ts';
import { describeContract } from './contract.ts';
import { electronBridge } from './electron.ts';

const reason = whyNot('electron');

if (reason === undefined) describeContract(electronBridge);
else it.skip(`the contract: Electron bridge (${reason})`);
