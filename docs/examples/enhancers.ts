import {
  type CanActivate,
  type ExecutionContext,
  ForbiddenException,
  Injectable,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TaskClient, type TaskContext, TaskHandler, TaskStreamsModule } from 'nestjs-task-streams';

@Injectable()
export class AuthGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (context.getType() === 'rpc') {
      // A task: there is no request and no user, and only who may write to Redis can send one.
      const { headers } = context.switchToRpc().getContext<TaskContext>();
      if (headers['tenant'] === undefined) throw new ForbiddenException('A task without a tenant');
      return true;
    }
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string | undefined> }>();
    if (headers['authorization'] === undefined) throw new UnauthorizedException();
    return true;
  }
}

@Injectable()
export class ReportHandler {
  @TaskHandler('reports.write')
  @UseGuards(AuthGuard)
  write(): void {}
}

export const everywhere = TaskStreamsModule.forRoot({ enhancers: 'all' });

export class Bank {
  pay(cents: number): string {
    return `paid ${cents}`;
  }
}

@Injectable()
export class PaymentHandler {
  constructor(
    private readonly bank: Bank,
    private readonly tasks: TaskClient,
  ) {}

  @TaskHandler('payments.pay')
  async pay({ cents }: { cents: number }, ctx: Pick<TaskContext, 'taskId'>): Promise<string> {
    await this.tasks.enqueue('mail.receipt', { payment: ctx.taskId });
    return this.bank.pay(cents);
  }
}

export async function testThePayment(): Promise<string> {
  const sent: unknown[] = [];
  const module = await Test.createTestingModule({
    providers: [
      PaymentHandler,
      { provide: Bank, useValue: { pay: () => 'paid' } },
      { provide: TaskClient, useValue: { enqueue: async (...task: unknown[]) => sent.push(task) } },
    ],
  }).compile();
  return module.get(PaymentHandler).pay({ cents: 500 }, { taskId: 'payment-1' });
}
