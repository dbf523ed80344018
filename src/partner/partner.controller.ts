import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { validBody } from '../problems/valid-body.pipe.js';
import { PARTNER_MODES, PartnerStateStore, type PartnerMode, type PartnerState } from './partner-state.store.js';

class SetPartnerMode {
  @IsIn(PARTNER_MODES)
  readonly mode!: PartnerMode;
}

/** The switch that makes the fake partner sick and heals it. */
@Controller('partner/mode')
export class PartnerController {
  constructor(private readonly state: PartnerStateStore) {}

  @Get()
  show(): Promise<PartnerState> {
    return this.state.read();
  }

  @Post()
  @HttpCode(200)
  async set(@Body(validBody) { mode }: SetPartnerMode): Promise<PartnerState> {
    await this.state.setMode(mode);
    return this.state.read();
  }
}
